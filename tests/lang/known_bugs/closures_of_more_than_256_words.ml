(* Closures too large for the minor heap: 300 captured variables, 130 functions of one group, whose
   environment is young when they are made (#6385, #11482). *)
let make k =
  let v0 = string_of_int (k + 0) in
  let v1 = string_of_int (k + 1) in
  let v2 = string_of_int (k + 2) in
  let v3 = string_of_int (k + 3) in
  let v4 = string_of_int (k + 4) in
  let v5 = string_of_int (k + 5) in
  let v6 = string_of_int (k + 6) in
  let v7 = string_of_int (k + 7) in
  let v8 = string_of_int (k + 8) in
  let v9 = string_of_int (k + 9) in
  let v10 = string_of_int (k + 10) in
  let v11 = string_of_int (k + 11) in
  let v12 = string_of_int (k + 12) in
  let v13 = string_of_int (k + 13) in
  let v14 = string_of_int (k + 14) in
  let v15 = string_of_int (k + 15) in
  let v16 = string_of_int (k + 16) in
  let v17 = string_of_int (k + 17) in
  let v18 = string_of_int (k + 18) in
  let v19 = string_of_int (k + 19) in
  let v20 = string_of_int (k + 20) in
  let v21 = string_of_int (k + 21) in
  let v22 = string_of_int (k + 22) in
  let v23 = string_of_int (k + 23) in
  let v24 = string_of_int (k + 24) in
  let v25 = string_of_int (k + 25) in
  let v26 = string_of_int (k + 26) in
  let v27 = string_of_int (k + 27) in
  let v28 = string_of_int (k + 28) in
  let v29 = string_of_int (k + 29) in
  let v30 = string_of_int (k + 30) in
  let v31 = string_of_int (k + 31) in
  let v32 = string_of_int (k + 32) in
  let v33 = string_of_int (k + 33) in
  let v34 = string_of_int (k + 34) in
  let v35 = string_of_int (k + 35) in
  let v36 = string_of_int (k + 36) in
  let v37 = string_of_int (k + 37) in
  let v38 = string_of_int (k + 38) in
  let v39 = string_of_int (k + 39) in
  let v40 = string_of_int (k + 40) in
  let v41 = string_of_int (k + 41) in
  let v42 = string_of_int (k + 42) in
  let v43 = string_of_int (k + 43) in
  let v44 = string_of_int (k + 44) in
  let v45 = string_of_int (k + 45) in
  let v46 = string_of_int (k + 46) in
  let v47 = string_of_int (k + 47) in
  let v48 = string_of_int (k + 48) in
  let v49 = string_of_int (k + 49) in
  let v50 = string_of_int (k + 50) in
  let v51 = string_of_int (k + 51) in
  let v52 = string_of_int (k + 52) in
  let v53 = string_of_int (k + 53) in
  let v54 = string_of_int (k + 54) in
  let v55 = string_of_int (k + 55) in
  let v56 = string_of_int (k + 56) in
  let v57 = string_of_int (k + 57) in
  let v58 = string_of_int (k + 58) in
  let v59 = string_of_int (k + 59) in
  let v60 = string_of_int (k + 60) in
  let v61 = string_of_int (k + 61) in
  let v62 = string_of_int (k + 62) in
  let v63 = string_of_int (k + 63) in
  let v64 = string_of_int (k + 64) in
  let v65 = string_of_int (k + 65) in
  let v66 = string_of_int (k + 66) in
  let v67 = string_of_int (k + 67) in
  let v68 = string_of_int (k + 68) in
  let v69 = string_of_int (k + 69) in
  let v70 = string_of_int (k + 70) in
  let v71 = string_of_int (k + 71) in
  let v72 = string_of_int (k + 72) in
  let v73 = string_of_int (k + 73) in
  let v74 = string_of_int (k + 74) in
  let v75 = string_of_int (k + 75) in
  let v76 = string_of_int (k + 76) in
  let v77 = string_of_int (k + 77) in
  let v78 = string_of_int (k + 78) in
  let v79 = string_of_int (k + 79) in
  let v80 = string_of_int (k + 80) in
  let v81 = string_of_int (k + 81) in
  let v82 = string_of_int (k + 82) in
  let v83 = string_of_int (k + 83) in
  let v84 = string_of_int (k + 84) in
  let v85 = string_of_int (k + 85) in
  let v86 = string_of_int (k + 86) in
  let v87 = string_of_int (k + 87) in
  let v88 = string_of_int (k + 88) in
  let v89 = string_of_int (k + 89) in
  let v90 = string_of_int (k + 90) in
  let v91 = string_of_int (k + 91) in
  let v92 = string_of_int (k + 92) in
  let v93 = string_of_int (k + 93) in
  let v94 = string_of_int (k + 94) in
  let v95 = string_of_int (k + 95) in
  let v96 = string_of_int (k + 96) in
  let v97 = string_of_int (k + 97) in
  let v98 = string_of_int (k + 98) in
  let v99 = string_of_int (k + 99) in
  let v100 = string_of_int (k + 100) in
  let v101 = string_of_int (k + 101) in
  let v102 = string_of_int (k + 102) in
  let v103 = string_of_int (k + 103) in
  let v104 = string_of_int (k + 104) in
  let v105 = string_of_int (k + 105) in
  let v106 = string_of_int (k + 106) in
  let v107 = string_of_int (k + 107) in
  let v108 = string_of_int (k + 108) in
  let v109 = string_of_int (k + 109) in
  let v110 = string_of_int (k + 110) in
  let v111 = string_of_int (k + 111) in
  let v112 = string_of_int (k + 112) in
  let v113 = string_of_int (k + 113) in
  let v114 = string_of_int (k + 114) in
  let v115 = string_of_int (k + 115) in
  let v116 = string_of_int (k + 116) in
  let v117 = string_of_int (k + 117) in
  let v118 = string_of_int (k + 118) in
  let v119 = string_of_int (k + 119) in
  let v120 = string_of_int (k + 120) in
  let v121 = string_of_int (k + 121) in
  let v122 = string_of_int (k + 122) in
  let v123 = string_of_int (k + 123) in
  let v124 = string_of_int (k + 124) in
  let v125 = string_of_int (k + 125) in
  let v126 = string_of_int (k + 126) in
  let v127 = string_of_int (k + 127) in
  let v128 = string_of_int (k + 128) in
  let v129 = string_of_int (k + 129) in
  let v130 = string_of_int (k + 130) in
  let v131 = string_of_int (k + 131) in
  let v132 = string_of_int (k + 132) in
  let v133 = string_of_int (k + 133) in
  let v134 = string_of_int (k + 134) in
  let v135 = string_of_int (k + 135) in
  let v136 = string_of_int (k + 136) in
  let v137 = string_of_int (k + 137) in
  let v138 = string_of_int (k + 138) in
  let v139 = string_of_int (k + 139) in
  let v140 = string_of_int (k + 140) in
  let v141 = string_of_int (k + 141) in
  let v142 = string_of_int (k + 142) in
  let v143 = string_of_int (k + 143) in
  let v144 = string_of_int (k + 144) in
  let v145 = string_of_int (k + 145) in
  let v146 = string_of_int (k + 146) in
  let v147 = string_of_int (k + 147) in
  let v148 = string_of_int (k + 148) in
  let v149 = string_of_int (k + 149) in
  let v150 = string_of_int (k + 150) in
  let v151 = string_of_int (k + 151) in
  let v152 = string_of_int (k + 152) in
  let v153 = string_of_int (k + 153) in
  let v154 = string_of_int (k + 154) in
  let v155 = string_of_int (k + 155) in
  let v156 = string_of_int (k + 156) in
  let v157 = string_of_int (k + 157) in
  let v158 = string_of_int (k + 158) in
  let v159 = string_of_int (k + 159) in
  let v160 = string_of_int (k + 160) in
  let v161 = string_of_int (k + 161) in
  let v162 = string_of_int (k + 162) in
  let v163 = string_of_int (k + 163) in
  let v164 = string_of_int (k + 164) in
  let v165 = string_of_int (k + 165) in
  let v166 = string_of_int (k + 166) in
  let v167 = string_of_int (k + 167) in
  let v168 = string_of_int (k + 168) in
  let v169 = string_of_int (k + 169) in
  let v170 = string_of_int (k + 170) in
  let v171 = string_of_int (k + 171) in
  let v172 = string_of_int (k + 172) in
  let v173 = string_of_int (k + 173) in
  let v174 = string_of_int (k + 174) in
  let v175 = string_of_int (k + 175) in
  let v176 = string_of_int (k + 176) in
  let v177 = string_of_int (k + 177) in
  let v178 = string_of_int (k + 178) in
  let v179 = string_of_int (k + 179) in
  let v180 = string_of_int (k + 180) in
  let v181 = string_of_int (k + 181) in
  let v182 = string_of_int (k + 182) in
  let v183 = string_of_int (k + 183) in
  let v184 = string_of_int (k + 184) in
  let v185 = string_of_int (k + 185) in
  let v186 = string_of_int (k + 186) in
  let v187 = string_of_int (k + 187) in
  let v188 = string_of_int (k + 188) in
  let v189 = string_of_int (k + 189) in
  let v190 = string_of_int (k + 190) in
  let v191 = string_of_int (k + 191) in
  let v192 = string_of_int (k + 192) in
  let v193 = string_of_int (k + 193) in
  let v194 = string_of_int (k + 194) in
  let v195 = string_of_int (k + 195) in
  let v196 = string_of_int (k + 196) in
  let v197 = string_of_int (k + 197) in
  let v198 = string_of_int (k + 198) in
  let v199 = string_of_int (k + 199) in
  let v200 = string_of_int (k + 200) in
  let v201 = string_of_int (k + 201) in
  let v202 = string_of_int (k + 202) in
  let v203 = string_of_int (k + 203) in
  let v204 = string_of_int (k + 204) in
  let v205 = string_of_int (k + 205) in
  let v206 = string_of_int (k + 206) in
  let v207 = string_of_int (k + 207) in
  let v208 = string_of_int (k + 208) in
  let v209 = string_of_int (k + 209) in
  let v210 = string_of_int (k + 210) in
  let v211 = string_of_int (k + 211) in
  let v212 = string_of_int (k + 212) in
  let v213 = string_of_int (k + 213) in
  let v214 = string_of_int (k + 214) in
  let v215 = string_of_int (k + 215) in
  let v216 = string_of_int (k + 216) in
  let v217 = string_of_int (k + 217) in
  let v218 = string_of_int (k + 218) in
  let v219 = string_of_int (k + 219) in
  let v220 = string_of_int (k + 220) in
  let v221 = string_of_int (k + 221) in
  let v222 = string_of_int (k + 222) in
  let v223 = string_of_int (k + 223) in
  let v224 = string_of_int (k + 224) in
  let v225 = string_of_int (k + 225) in
  let v226 = string_of_int (k + 226) in
  let v227 = string_of_int (k + 227) in
  let v228 = string_of_int (k + 228) in
  let v229 = string_of_int (k + 229) in
  let v230 = string_of_int (k + 230) in
  let v231 = string_of_int (k + 231) in
  let v232 = string_of_int (k + 232) in
  let v233 = string_of_int (k + 233) in
  let v234 = string_of_int (k + 234) in
  let v235 = string_of_int (k + 235) in
  let v236 = string_of_int (k + 236) in
  let v237 = string_of_int (k + 237) in
  let v238 = string_of_int (k + 238) in
  let v239 = string_of_int (k + 239) in
  let v240 = string_of_int (k + 240) in
  let v241 = string_of_int (k + 241) in
  let v242 = string_of_int (k + 242) in
  let v243 = string_of_int (k + 243) in
  let v244 = string_of_int (k + 244) in
  let v245 = string_of_int (k + 245) in
  let v246 = string_of_int (k + 246) in
  let v247 = string_of_int (k + 247) in
  let v248 = string_of_int (k + 248) in
  let v249 = string_of_int (k + 249) in
  let v250 = string_of_int (k + 250) in
  let v251 = string_of_int (k + 251) in
  let v252 = string_of_int (k + 252) in
  let v253 = string_of_int (k + 253) in
  let v254 = string_of_int (k + 254) in
  let v255 = string_of_int (k + 255) in
  let v256 = string_of_int (k + 256) in
  let v257 = string_of_int (k + 257) in
  let v258 = string_of_int (k + 258) in
  let v259 = string_of_int (k + 259) in
  let v260 = string_of_int (k + 260) in
  let v261 = string_of_int (k + 261) in
  let v262 = string_of_int (k + 262) in
  let v263 = string_of_int (k + 263) in
  let v264 = string_of_int (k + 264) in
  let v265 = string_of_int (k + 265) in
  let v266 = string_of_int (k + 266) in
  let v267 = string_of_int (k + 267) in
  let v268 = string_of_int (k + 268) in
  let v269 = string_of_int (k + 269) in
  let v270 = string_of_int (k + 270) in
  let v271 = string_of_int (k + 271) in
  let v272 = string_of_int (k + 272) in
  let v273 = string_of_int (k + 273) in
  let v274 = string_of_int (k + 274) in
  let v275 = string_of_int (k + 275) in
  let v276 = string_of_int (k + 276) in
  let v277 = string_of_int (k + 277) in
  let v278 = string_of_int (k + 278) in
  let v279 = string_of_int (k + 279) in
  let v280 = string_of_int (k + 280) in
  let v281 = string_of_int (k + 281) in
  let v282 = string_of_int (k + 282) in
  let v283 = string_of_int (k + 283) in
  let v284 = string_of_int (k + 284) in
  let v285 = string_of_int (k + 285) in
  let v286 = string_of_int (k + 286) in
  let v287 = string_of_int (k + 287) in
  let v288 = string_of_int (k + 288) in
  let v289 = string_of_int (k + 289) in
  let v290 = string_of_int (k + 290) in
  let v291 = string_of_int (k + 291) in
  let v292 = string_of_int (k + 292) in
  let v293 = string_of_int (k + 293) in
  let v294 = string_of_int (k + 294) in
  let v295 = string_of_int (k + 295) in
  let v296 = string_of_int (k + 296) in
  let v297 = string_of_int (k + 297) in
  let v298 = string_of_int (k + 298) in
  let v299 = string_of_int (k + 299) in
  fun () -> v0 ^ v1 ^ v2 ^ v3 ^ v4 ^ v5 ^ v6 ^ v7 ^ v8 ^ v9 ^ v10 ^ v11 ^ v12 ^ v13 ^ v14
    ^ v15 ^ v16 ^ v17 ^ v18 ^ v19 ^ v20 ^ v21 ^ v22 ^ v23 ^ v24 ^ v25 ^ v26 ^ v27 ^ v28 ^ v29
    ^ v30 ^ v31 ^ v32 ^ v33 ^ v34 ^ v35 ^ v36 ^ v37 ^ v38 ^ v39 ^ v40 ^ v41 ^ v42 ^ v43 ^ v44
    ^ v45 ^ v46 ^ v47 ^ v48 ^ v49 ^ v50 ^ v51 ^ v52 ^ v53 ^ v54 ^ v55 ^ v56 ^ v57 ^ v58 ^ v59
    ^ v60 ^ v61 ^ v62 ^ v63 ^ v64 ^ v65 ^ v66 ^ v67 ^ v68 ^ v69 ^ v70 ^ v71 ^ v72 ^ v73 ^ v74
    ^ v75 ^ v76 ^ v77 ^ v78 ^ v79 ^ v80 ^ v81 ^ v82 ^ v83 ^ v84 ^ v85 ^ v86 ^ v87 ^ v88 ^ v89
    ^ v90 ^ v91 ^ v92 ^ v93 ^ v94 ^ v95 ^ v96 ^ v97 ^ v98 ^ v99 ^ v100 ^ v101 ^ v102 ^ v103 ^ v104
    ^ v105 ^ v106 ^ v107 ^ v108 ^ v109 ^ v110 ^ v111 ^ v112 ^ v113 ^ v114 ^ v115 ^ v116 ^ v117 ^ v118 ^ v119
    ^ v120 ^ v121 ^ v122 ^ v123 ^ v124 ^ v125 ^ v126 ^ v127 ^ v128 ^ v129 ^ v130 ^ v131 ^ v132 ^ v133 ^ v134
    ^ v135 ^ v136 ^ v137 ^ v138 ^ v139 ^ v140 ^ v141 ^ v142 ^ v143 ^ v144 ^ v145 ^ v146 ^ v147 ^ v148 ^ v149
    ^ v150 ^ v151 ^ v152 ^ v153 ^ v154 ^ v155 ^ v156 ^ v157 ^ v158 ^ v159 ^ v160 ^ v161 ^ v162 ^ v163 ^ v164
    ^ v165 ^ v166 ^ v167 ^ v168 ^ v169 ^ v170 ^ v171 ^ v172 ^ v173 ^ v174 ^ v175 ^ v176 ^ v177 ^ v178 ^ v179
    ^ v180 ^ v181 ^ v182 ^ v183 ^ v184 ^ v185 ^ v186 ^ v187 ^ v188 ^ v189 ^ v190 ^ v191 ^ v192 ^ v193 ^ v194
    ^ v195 ^ v196 ^ v197 ^ v198 ^ v199 ^ v200 ^ v201 ^ v202 ^ v203 ^ v204 ^ v205 ^ v206 ^ v207 ^ v208 ^ v209
    ^ v210 ^ v211 ^ v212 ^ v213 ^ v214 ^ v215 ^ v216 ^ v217 ^ v218 ^ v219 ^ v220 ^ v221 ^ v222 ^ v223 ^ v224
    ^ v225 ^ v226 ^ v227 ^ v228 ^ v229 ^ v230 ^ v231 ^ v232 ^ v233 ^ v234 ^ v235 ^ v236 ^ v237 ^ v238 ^ v239
    ^ v240 ^ v241 ^ v242 ^ v243 ^ v244 ^ v245 ^ v246 ^ v247 ^ v248 ^ v249 ^ v250 ^ v251 ^ v252 ^ v253 ^ v254
    ^ v255 ^ v256 ^ v257 ^ v258 ^ v259 ^ v260 ^ v261 ^ v262 ^ v263 ^ v264 ^ v265 ^ v266 ^ v267 ^ v268 ^ v269
    ^ v270 ^ v271 ^ v272 ^ v273 ^ v274 ^ v275 ^ v276 ^ v277 ^ v278 ^ v279 ^ v280 ^ v281 ^ v282 ^ v283 ^ v284
    ^ v285 ^ v286 ^ v287 ^ v288 ^ v289 ^ v290 ^ v291 ^ v292 ^ v293 ^ v294 ^ v295 ^ v296 ^ v297 ^ v298 ^ v299

let group base =
  let rec f0 n = if n = 0 then base + 0 else f1 (n - 1)
  and f1 n = if n = 0 then base + 1 else f2 (n - 1)
  and f2 n = if n = 0 then base + 2 else f3 (n - 1)
  and f3 n = if n = 0 then base + 3 else f4 (n - 1)
  and f4 n = if n = 0 then base + 4 else f5 (n - 1)
  and f5 n = if n = 0 then base + 5 else f6 (n - 1)
  and f6 n = if n = 0 then base + 6 else f7 (n - 1)
  and f7 n = if n = 0 then base + 7 else f8 (n - 1)
  and f8 n = if n = 0 then base + 8 else f9 (n - 1)
  and f9 n = if n = 0 then base + 9 else f10 (n - 1)
  and f10 n = if n = 0 then base + 10 else f11 (n - 1)
  and f11 n = if n = 0 then base + 11 else f12 (n - 1)
  and f12 n = if n = 0 then base + 12 else f13 (n - 1)
  and f13 n = if n = 0 then base + 13 else f14 (n - 1)
  and f14 n = if n = 0 then base + 14 else f15 (n - 1)
  and f15 n = if n = 0 then base + 15 else f16 (n - 1)
  and f16 n = if n = 0 then base + 16 else f17 (n - 1)
  and f17 n = if n = 0 then base + 17 else f18 (n - 1)
  and f18 n = if n = 0 then base + 18 else f19 (n - 1)
  and f19 n = if n = 0 then base + 19 else f20 (n - 1)
  and f20 n = if n = 0 then base + 20 else f21 (n - 1)
  and f21 n = if n = 0 then base + 21 else f22 (n - 1)
  and f22 n = if n = 0 then base + 22 else f23 (n - 1)
  and f23 n = if n = 0 then base + 23 else f24 (n - 1)
  and f24 n = if n = 0 then base + 24 else f25 (n - 1)
  and f25 n = if n = 0 then base + 25 else f26 (n - 1)
  and f26 n = if n = 0 then base + 26 else f27 (n - 1)
  and f27 n = if n = 0 then base + 27 else f28 (n - 1)
  and f28 n = if n = 0 then base + 28 else f29 (n - 1)
  and f29 n = if n = 0 then base + 29 else f30 (n - 1)
  and f30 n = if n = 0 then base + 30 else f31 (n - 1)
  and f31 n = if n = 0 then base + 31 else f32 (n - 1)
  and f32 n = if n = 0 then base + 32 else f33 (n - 1)
  and f33 n = if n = 0 then base + 33 else f34 (n - 1)
  and f34 n = if n = 0 then base + 34 else f35 (n - 1)
  and f35 n = if n = 0 then base + 35 else f36 (n - 1)
  and f36 n = if n = 0 then base + 36 else f37 (n - 1)
  and f37 n = if n = 0 then base + 37 else f38 (n - 1)
  and f38 n = if n = 0 then base + 38 else f39 (n - 1)
  and f39 n = if n = 0 then base + 39 else f40 (n - 1)
  and f40 n = if n = 0 then base + 40 else f41 (n - 1)
  and f41 n = if n = 0 then base + 41 else f42 (n - 1)
  and f42 n = if n = 0 then base + 42 else f43 (n - 1)
  and f43 n = if n = 0 then base + 43 else f44 (n - 1)
  and f44 n = if n = 0 then base + 44 else f45 (n - 1)
  and f45 n = if n = 0 then base + 45 else f46 (n - 1)
  and f46 n = if n = 0 then base + 46 else f47 (n - 1)
  and f47 n = if n = 0 then base + 47 else f48 (n - 1)
  and f48 n = if n = 0 then base + 48 else f49 (n - 1)
  and f49 n = if n = 0 then base + 49 else f50 (n - 1)
  and f50 n = if n = 0 then base + 50 else f51 (n - 1)
  and f51 n = if n = 0 then base + 51 else f52 (n - 1)
  and f52 n = if n = 0 then base + 52 else f53 (n - 1)
  and f53 n = if n = 0 then base + 53 else f54 (n - 1)
  and f54 n = if n = 0 then base + 54 else f55 (n - 1)
  and f55 n = if n = 0 then base + 55 else f56 (n - 1)
  and f56 n = if n = 0 then base + 56 else f57 (n - 1)
  and f57 n = if n = 0 then base + 57 else f58 (n - 1)
  and f58 n = if n = 0 then base + 58 else f59 (n - 1)
  and f59 n = if n = 0 then base + 59 else f60 (n - 1)
  and f60 n = if n = 0 then base + 60 else f61 (n - 1)
  and f61 n = if n = 0 then base + 61 else f62 (n - 1)
  and f62 n = if n = 0 then base + 62 else f63 (n - 1)
  and f63 n = if n = 0 then base + 63 else f64 (n - 1)
  and f64 n = if n = 0 then base + 64 else f65 (n - 1)
  and f65 n = if n = 0 then base + 65 else f66 (n - 1)
  and f66 n = if n = 0 then base + 66 else f67 (n - 1)
  and f67 n = if n = 0 then base + 67 else f68 (n - 1)
  and f68 n = if n = 0 then base + 68 else f69 (n - 1)
  and f69 n = if n = 0 then base + 69 else f70 (n - 1)
  and f70 n = if n = 0 then base + 70 else f71 (n - 1)
  and f71 n = if n = 0 then base + 71 else f72 (n - 1)
  and f72 n = if n = 0 then base + 72 else f73 (n - 1)
  and f73 n = if n = 0 then base + 73 else f74 (n - 1)
  and f74 n = if n = 0 then base + 74 else f75 (n - 1)
  and f75 n = if n = 0 then base + 75 else f76 (n - 1)
  and f76 n = if n = 0 then base + 76 else f77 (n - 1)
  and f77 n = if n = 0 then base + 77 else f78 (n - 1)
  and f78 n = if n = 0 then base + 78 else f79 (n - 1)
  and f79 n = if n = 0 then base + 79 else f80 (n - 1)
  and f80 n = if n = 0 then base + 80 else f81 (n - 1)
  and f81 n = if n = 0 then base + 81 else f82 (n - 1)
  and f82 n = if n = 0 then base + 82 else f83 (n - 1)
  and f83 n = if n = 0 then base + 83 else f84 (n - 1)
  and f84 n = if n = 0 then base + 84 else f85 (n - 1)
  and f85 n = if n = 0 then base + 85 else f86 (n - 1)
  and f86 n = if n = 0 then base + 86 else f87 (n - 1)
  and f87 n = if n = 0 then base + 87 else f88 (n - 1)
  and f88 n = if n = 0 then base + 88 else f89 (n - 1)
  and f89 n = if n = 0 then base + 89 else f90 (n - 1)
  and f90 n = if n = 0 then base + 90 else f91 (n - 1)
  and f91 n = if n = 0 then base + 91 else f92 (n - 1)
  and f92 n = if n = 0 then base + 92 else f93 (n - 1)
  and f93 n = if n = 0 then base + 93 else f94 (n - 1)
  and f94 n = if n = 0 then base + 94 else f95 (n - 1)
  and f95 n = if n = 0 then base + 95 else f96 (n - 1)
  and f96 n = if n = 0 then base + 96 else f97 (n - 1)
  and f97 n = if n = 0 then base + 97 else f98 (n - 1)
  and f98 n = if n = 0 then base + 98 else f99 (n - 1)
  and f99 n = if n = 0 then base + 99 else f100 (n - 1)
  and f100 n = if n = 0 then base + 100 else f101 (n - 1)
  and f101 n = if n = 0 then base + 101 else f102 (n - 1)
  and f102 n = if n = 0 then base + 102 else f103 (n - 1)
  and f103 n = if n = 0 then base + 103 else f104 (n - 1)
  and f104 n = if n = 0 then base + 104 else f105 (n - 1)
  and f105 n = if n = 0 then base + 105 else f106 (n - 1)
  and f106 n = if n = 0 then base + 106 else f107 (n - 1)
  and f107 n = if n = 0 then base + 107 else f108 (n - 1)
  and f108 n = if n = 0 then base + 108 else f109 (n - 1)
  and f109 n = if n = 0 then base + 109 else f110 (n - 1)
  and f110 n = if n = 0 then base + 110 else f111 (n - 1)
  and f111 n = if n = 0 then base + 111 else f112 (n - 1)
  and f112 n = if n = 0 then base + 112 else f113 (n - 1)
  and f113 n = if n = 0 then base + 113 else f114 (n - 1)
  and f114 n = if n = 0 then base + 114 else f115 (n - 1)
  and f115 n = if n = 0 then base + 115 else f116 (n - 1)
  and f116 n = if n = 0 then base + 116 else f117 (n - 1)
  and f117 n = if n = 0 then base + 117 else f118 (n - 1)
  and f118 n = if n = 0 then base + 118 else f119 (n - 1)
  and f119 n = if n = 0 then base + 119 else f120 (n - 1)
  and f120 n = if n = 0 then base + 120 else f121 (n - 1)
  and f121 n = if n = 0 then base + 121 else f122 (n - 1)
  and f122 n = if n = 0 then base + 122 else f123 (n - 1)
  and f123 n = if n = 0 then base + 123 else f124 (n - 1)
  and f124 n = if n = 0 then base + 124 else f125 (n - 1)
  and f125 n = if n = 0 then base + 125 else f126 (n - 1)
  and f126 n = if n = 0 then base + 126 else f127 (n - 1)
  and f127 n = if n = 0 then base + 127 else f128 (n - 1)
  and f128 n = if n = 0 then base + 128 else f129 (n - 1)
  and f129 n = if n = 0 then base + 129 else f0 (n - 1)
  in
  [| f0; f1; f64; f128; f129 |]

let () =
  let keep = ref [] in
  for k = 1 to 40 do
    keep := make k :: !keep;
    if k mod 7 = 0 then Gc.minor ();
    if k mod 13 = 0 then Gc.full_major ()
  done;
  List.iter (fun f -> print_string (Digest.to_hex (Digest.string (f ())))) !keep;
  print_newline ();
  let groups = List.init 40 (fun i -> let g = group (i * 1000) in if i mod 9 = 0 then Gc.full_major (); g) in
  List.iter (fun g -> Array.iteri (fun i f -> Printf.printf "%d " (f (i * 100))) g) groups;
  print_newline ();
  let copy = List.map (fun g -> (Marshal.from_string (Marshal.to_string g [ Marshal.Closures ]) 0 : (int -> int) array)) groups in
  Printf.printf "%b\n" (List.for_all2 (fun a b -> Array.for_all2 (fun f g -> f 200 = g 200) a b) groups copy)
